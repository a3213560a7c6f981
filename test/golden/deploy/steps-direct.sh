baremetal node set w1 \
  --deploy-interface direct \
  --instance-info image_source=https://h/i \
  --instance-info image_os_hash_algo=sha256 \
  --instance-info image_os_hash_value=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
baremetal node deploy w1 \
  --deploy-steps '[{"interface":"deploy","step":"install_coreos","priority":80,"args":{}},{"interface":"deploy","step":"write_image","priority":0,"args":{}}]' \
  --config-drive drive.json
