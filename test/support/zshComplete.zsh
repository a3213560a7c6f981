# What zsh would offer: the arguments are a completion script, an empty folder, and a command line. One offer a line.
# Only the line editor completes, so a shell of its own gets the line and a tab; what its completion adds is printed.
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i

# Until the shell has answered.
await() {
  local line
  while zpty -r shell line; do
    [[ $line == *$1* ]] && return
  done
}

zpty -w shell "cd ${(q)2}; PROMPT=; autoload -Uz compinit; compinit -u -D; source ${(q)1}"
zpty -w shell 'source '${(q)${0:A:h}}'/zshCompadd.zsh; print rea''dy'
await ready
zpty -w -n shell "$3"$'\t'

integer is_offer=0
while zpty -r shell line; do
  if [[ $line == *$'\0\r'* ]]; then
    (( is_offer )) && exit
    is_offer=1
  elif (( is_offer )); then
    print -r -- ${line%$'\r\n'}
  fi
done
