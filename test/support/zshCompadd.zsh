# For zshComplete.zsh: prints what is added to the completion instead of showing it, between two lines with a NUL.
bindkey '^M' undefined
bindkey '^J' undefined
bindkey '^I' complete-word
mark() { print -rn -- $'\0'; print }
compprefuncs=(mark)
comppostfuncs=(mark exit)
zstyle ':completion:*' insert-tab false

compadd() {
  # Those calls fill arrays.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offers
  builtin compadd -A offers "$@"
  builtin compadd "$@"
  (( $#offers )) && print -rl -- $offers
}
