baremetal node create \
  --driver idrac \
  --name worker-3 \
  --boot-interface idrac-redfish-virtual-media \
  --driver-info redfish_address=http://192.0.2.13:8000 \
  --driver-info redfish_system_id=/redfish/v1/Systems/1 \
  --driver-info redfish_verify_ca=false \
  --driver-info deploy_iso=http://192.0.2.1/worker-3.iso \
  --driver-info redfish_username="${BMC_USERNAME:?}" \
  --driver-info redfish_password="${BMC_PASSWORD:?}" \
  --property cpu_arch=x86_64 \
  --property 'root_device={"size":">= 100","rotational":false}'
baremetal port create 52:54:00:12:34:56 --node "$(baremetal node show worker-3 -f value -c uuid)"
