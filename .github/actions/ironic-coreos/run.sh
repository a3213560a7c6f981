# Runs COMMAND of ironic-coreos from PACKAGE with ARGS, one per line. The exit code is that of the program.
set -euo pipefail

args=()
while IFS= read -r line; do
  line=${line%$'\r'}
  line=${line#"${line%%[![:space:]]*}"}
  if [[ -n $line ]]; then args+=("$line"); fi
done <<<"$ARGS"

# Findings appear beside the lines that they are about.
if [[ $COMMAND == validate ]]; then args=(--format github "${args[@]}"); fi

read -ra command <<<"$COMMAND"
exec npx --yes --package "$PACKAGE" -- ironic-coreos "${command[@]}" "${args[@]}"
