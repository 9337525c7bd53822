/** Completion for zsh. */
import type { CompletionModel, FlagWord, Place } from './model.ts';

export function zshCompletion({ places, aliases, valueFlags }: CompletionModel): string {
  return `#compdef comem
# zsh completion of comem. Load it with: source <(comem completion zsh)
_comem() {
  local where='' word next prev=$words[CURRENT-1] i
  local -a list flags
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (${valueFlags.join('|')}) i=$((i + 1)); continue ;;
      (-*) continue ;;
    esac
    next="\${where:+$where }$word"
    case $next in
${[...aliases].map(([alias, path]) => `      (${quote(alias)}) next=${quote(path)} ;;`).join('\n')}
    esac
    case $next in
      (${places.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|')}) where=$next ;;
    esac
  done
  case "$where:$prev" in
${places.flatMap(({ path, flags }) => flags.flatMap((flag) => valueCase(path, flag))).join('\n')}
  esac
  case $where in
${places.map(placeCase).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o flag flags
  elif (( $#list )); then
    _describe word list
  else
    _files
  fi
}
if [[ $funcstack[1] == _comem ]]; then _comem "$@"; else compdef _comem comem; fi
`;
}

function placeCase({ path, words, flags }: Place): string {
  const list = words.map(({ word, says }) => described(word, says));
  const all = flags.flatMap(({ names, says }) => names.map((name) => described(name, says)));
  return `    (${quote(path)}) list=(${list.join(' ')}); flags=(${all.join(' ')}) ;;`;
}

function valueCase(path: string, { names, takesValue, choices, file }: FlagWord): string[] {
  if (!takesValue) return [];
  const patterns = names.map((name) => quote(`${path}:${name}`)).join('|');
  const action = file ? '_files' : choices.length > 0 ? `compadd -- ${choices.join(' ')}` : '_message value';
  return [`    (${patterns}) ${action}; return ;;`];
}

/** zsh takes the text before the first colon as the word. */
function described(word: string, says: string): string {
  return quote(says === '' ? word : `${word.replaceAll(':', '\\:')}:${says}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
