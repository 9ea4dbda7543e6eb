#compdef cryptodata
# cryptodata completions for zsh. Generated from the command tree; do not edit.

__cryptodata_command() {
  case $1 in
#{commands}
  esac
  flags+=(
#{globals}
  )
}

# Sets takes: whether a flag needs a value, may have one, or has none.
__cryptodata_takes() {
  case $1 in
#{takes}
  esac
}

__cryptodata_values() {
  case $1 in
#{values}
  esac
}

__cryptodata_profiles() {
  local directory=${CRYPTODATA_CONFIG_DIR-} line file match mbegin mend
  local table='^[[:space:]]*\[[[:space:]]*profiles[[:space:]]*\.[[:space:]]*["'\'']?([A-Za-z0-9][A-Za-z0-9._-]*)'
  if [[ -z $directory ]]; then
    directory=$HOME/.config/cryptodata
    [[ ${XDG_CONFIG_HOME-} == /* ]] && directory=$XDG_CONFIG_HOME/cryptodata
  fi
  if [[ -r $directory/config.toml ]]; then
    while read -r line || [[ -n $line ]]; do
      [[ $line =~ $table ]] && values+=("$match[1]")
    done <$directory/config.toml
  fi
  for file in $directory/sessions/*.session(N:t:r); do
    [[ $file =~ '^[A-Za-z0-9][A-Za-z0-9._-]*$' ]] && values+=("$file")
  done
  values=("${(@u)values}")
}

__cryptodata_zones() {
  local line directory
  for directory in /usr/share/zoneinfo /usr/lib/zoneinfo /usr/share/lib/zoneinfo; do
    [[ -r $directory/zone.tab ]] || continue
    for line in "${(@f)$(<$directory/zone.tab)}"; do
      [[ $line == \#* ]] && continue
      line=${line#*$'\t'*$'\t'}
      values+=("${line%%$'\t'*}")
    done
    break
  done
  values+=(UTC)
}

# A year has halves, quarters and months.
__cryptodata_years() {
  local year this=${(%):-%D{%Y}}
  [[ $PREFIX == [0-9][0-9][0-9][0-9]* ]] && this=${PREFIX[1,4]}
  for year in $this $((this - 1)); do
    values+=($year $year-H{1,2} $year-Q{1..4})
    [[ $PREFIX == $year-* ]] && values+=($year-{01..12})
  done
}

_cryptodata() {
  local word at='' takes='' pending='' only='' live='' separated=''
  local -a subcommands flags values suffix
  local -i i operand=0 failed=1

  __cryptodata_command "$at"
  for ((i = 2; i < CURRENT; i++)); do
    word=${(Q)words[i]}
    if [[ $takes == value || ($takes == maybe && $word != -*) ]]; then
      takes=''
      pending=''
      continue
    fi
    takes=''
    pending=''
    if [[ -n $only || $word != -* || $word == - ]]; then
      if [[ -z $only && $operand == 0 && -n ${(M)subcommands:#$word:*} ]]; then
        at=${at:+$at }$word
        subcommands=()
        __cryptodata_command "$at"
      else
        ((operand += 1))
      fi
    elif [[ $word == -- ]]; then
      only=1
      live=''
      __cryptodata_values "$at #*"
      if [[ $live == command ]]; then
        # sandbox exec -- COMMAND: complete the other command line
        shift $i words
        ((CURRENT -= i))
        _normal
        return
      fi
    elif [[ $word != *=* ]]; then
      pending=$word
      __cryptodata_takes "$at $word"
    fi
  done

  values=()
  live=''
  separated=''
  if [[ -z $only && $takes != value && $PREFIX == --*=* ]]; then
    pending=${PREFIX%%=*}
    IPREFIX+=$pending=
    PREFIX=${PREFIX#*=}
    __cryptodata_values "$at $pending"
  elif [[ $takes == value || ($takes == maybe && $PREFIX != -*) ]]; then
    __cryptodata_values "$at $pending"
  elif [[ -z $only && $PREFIX == -* ]]; then
    _describe -o -t options option flags
    return
  else
    __cryptodata_values "$at #$((operand + 1))"
    if ((operand == 0 && $#subcommands)); then
      _describe -t commands command subcommands && failed=0
    fi
    # Show the flags where nothing else can be typed.
    if [[ $#values == 0 && $#subcommands == 0 && -z $live$PREFIX$only ]]; then
      _describe -o -t options option flags
      return
    fi
  fi

  if [[ -n $separated ]]; then
    compset -P '*,'
    # --columns +name adds a column.
    compset -P '+'
    suffix=(-q -S ,)
  fi
  case $live in
    profiles | zones | years) __cryptodata_$live ;;
  esac
  if (($#values)); then compadd $suffix -a values && failed=0; fi
  case $live in
    files) _files && failed=0 ;;
    folders) _files -/ && failed=0 ;;
    json)
      if compset -P @; then _files && failed=0; else compadd - - && compadd -S '' @ && failed=0; fi
      ;;
  esac
  return failed
}

if [[ $funcstack[1] == _cryptodata ]]; then
  _cryptodata "$@"
elif (($+functions[compdef])); then
  compdef _cryptodata cryptodata
else
  print -u2 'cryptodata: completions need compinit; run it before this line'
fi
