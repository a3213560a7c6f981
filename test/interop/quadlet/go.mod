module quadlet-oracle

go 1.24.2

require github.com/containers/podman/v5 v5.8.2
