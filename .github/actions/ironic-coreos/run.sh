# Runs COMMAND of ironic-coreos from PACKAGE with ARGS, one per line. The exit code is that of the program. Without PACKAGE it
# is the package of the same version as the action, whose repository GitHub has put into a folder as a whole.
set -euo pipefail

if [[ -z $PACKAGE ]]; then
  manifest=$(dirname "${BASH_SOURCE[0]}")/../../../package.json
  PACKAGE=ironic-coreos@$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).version' "$manifest")
fi

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
