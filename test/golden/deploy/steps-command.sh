baremetal node set w1 \
  --deploy-interface custom-agent \
  --instance-info image_source=https://h/i
baremetal node deploy w1 \
  --deploy-steps '[{"interface":"deploy","step":"install_coreos","priority":80,"args":{}}]' \
  --config-drive drive.json
