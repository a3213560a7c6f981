baremetal node set worker-3 \
  --driver-info deploy_kernel=http://h/k \
  --driver-info deploy_ramdisk=http://h/r \
  --driver-info deploy_iso=null \
  --property 'root_device={"model":"<in> PERC"}'
