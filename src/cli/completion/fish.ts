/** Completion for fish. */
import type { CompletionModel, FlagWord, Place } from './model.ts';

export function fishCompletion({ places, aliases, valueFlags }: CompletionModel): string {
  return `# fish completion of comem. Load it with: comem completion fish | source
function __comem_path
  set -l where ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${valueFlags.join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    set -l next (string trim -- "$where $word")
    switch $next
${[...aliases].map(([alias, path]) => `      case ${quote(alias)}\n        set next ${quote(path)}`).join('\n')}
    end
    if contains -- $next ${places.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ')}
      set where $next
    end
  end
  echo $where
end
function __comem_at
  test (__comem_path) = "$argv[1]"
end
complete -c comem -e
complete -c comem -f
${places.flatMap(lines).join('\n')}
`;
}

function lines({ path, words, flags }: Place): string[] {
  const at = `complete -c comem -n ${quote(`__comem_at ${quote(path)}`)}`;
  return [
    ...words.map(({ word, says }) => `${at} -a ${word} -d ${quote(says)}`),
    ...flags.map((flag) => `${at} ${flagWords(flag)}`),
  ];
}

function flagWords({ names, says, takesValue, choices, file }: FlagWord): string {
  const written = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = !takesValue
    ? []
    : file
      ? ['-r -F']
      : ['-x', ...(choices.length > 0 ? [`-a ${quote(choices.join(' '))}`] : [])];
  return [...written, `-d ${quote(says)}`, ...value].join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
