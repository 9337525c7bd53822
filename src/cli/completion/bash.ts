/** Completion for bash 4 and later. */
import type { CompletionModel } from './model.ts';

export function bashCompletion({ places, aliases, valueFlags }: CompletionModel): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== '');
  const words = places.map(
    ({ path, words }) => `    ${quote(path)}) words=${quote(words.map(({ word }) => word).join(' '))} ;;`,
  );
  const flags = places.map(
    ({ path, flags }) => `    ${quote(path)}) words=${quote(flags.flatMap(({ names }) => names).join(' '))} ;;`,
  );
  return `# bash completion of comem. Load it with: source <(comem completion bash)
_comem() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} path='' words='' word next i
  # bash parts --flag=value at the equals sign.
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
    ${valueFlags.join('|')})
      [[ \${COMP_WORDS[i + 1]} == = ]] && i=$((i + 1))
      i=$((i + 1))
      continue
      ;;
    -*|=) continue ;;
    esac
    next="\${path:+$path }$word"
    case $next in
${[...aliases].map(([alias, path]) => `    ${quote(alias)}) next=${quote(path)} ;;`).join('\n')}
    esac
    case $next in
    ${paths.map(quote).join('|')}) path=$next ;;
    esac
  done
  case "$path:$prev" in
${valueCases({ places }).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $path in
${flags.join('\n')}
    esac
  else
    case $path in
${words.join('\n')}
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _comem comem
`;
}

/** What may follow a flag that takes a value: its choices, a file, or nothing that a shell could know. */
function valueCases({ places }: Pick<CompletionModel, 'places'>): string[] {
  return places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices, file }) => {
        const from = file ? '-f' : `-W ${quote(choices.join(' '))}`;
        const patterns = names.map((name) => quote(`${path}:${name}`)).join('|');
        return `  ${patterns}) mapfile -t COMPREPLY < <(compgen ${from} -- "$cur"); return ;;`;
      }),
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
