baremetal node create \
  --driver redfish \
  --name worker-0 \
  --boot-interface redfish-virtual-media \
  --driver-info redfish_address=https://192.0.2.10 \
  --driver-info redfish_system_id=/redfish/v1/Systems/1 \
  --driver-info redfish_verify_ca=false \
  --driver-info deploy_iso=http://192.0.2.1/worker-0.iso \
  --driver-info redfish_username="${BMC_USERNAME:?}" \
  --driver-info redfish_password="${BMC_PASSWORD:?}" \
  --property cpu_arch=x86_64 \
  --property 'root_device={"size":">= 100","rotational":false}'
baremetal port create 52:54:00:12:34:56 --node "$(baremetal node show worker-0 -f value -c uuid)"
baremetal node create \
  --driver redfish \
  --name worker-1 \
  --boot-interface ipxe \
  --driver-info redfish_address=https://192.0.2.11 \
  --driver-info redfish_system_id=/redfish/v1/Systems/1 \
  --driver-info deploy_kernel=http://192.0.2.1/ipa.kernel \
  --driver-info deploy_ramdisk=http://192.0.2.1/aarch64.initramfs \
  --driver-info 'kernel_append_params=%default% console=ttyS0' \
  --driver-info redfish_username="${BMC_USERNAME:?}" \
  --driver-info redfish_password="${BMC_PASSWORD:?}" \
  --property cpu_arch=aarch64 \
  --property 'root_device={"name":"s== /dev/nvme0n1"}'
baremetal port create 52:54:00:12:34:57 --node "$(baremetal node show worker-1 -f value -c uuid)"
