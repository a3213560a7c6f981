baremetal node set worker-0 \
  --deploy-interface custom-agent
baremetal node deploy worker-0 \
  --deploy-steps '[{"interface":"deploy","step":"install_coreos","priority":80,"args":{}}]' \
  --config-drive drives/worker-0.json
baremetal node set worker-1 \
  --deploy-interface custom-agent
baremetal node deploy worker-1 \
  --deploy-steps '[{"interface":"deploy","step":"install_coreos","priority":80,"args":{}}]' \
  --config-drive drives/worker-1.json
