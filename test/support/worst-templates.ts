/** Short templates that make as much work as they can. */
const ninefold = (inner: string): string => `(replace ${inner} "x" "xxxxxxxxx")`
const times = (count: number): string => (count === 0 ? '"x"' : ninefold(times(count - 1)))

/** 59,049 characters, and a list of 729. */
const long = times(5)
const rounds = `(split ${times(3)} "")`

const eachRound = (body: string): string =>
  `{{#with ${long} as |b|}}{{#with (split b "") as |l|}}{{#each ${rounds}}}${body}{{/each}}{{/with}}{{/with}}`

export const worstTemplates: Readonly<Record<string, string>> = {
  searched: eachRound(
    '{{#if (contains l "q")}}{{/if}}{{#if (contains l "q")}}{{/if}}{{#if (contains l "q")}}{{/if}}',
  ),
  joined: eachRound('{{#if (is l "q")}}{{/if}}'),
  tagged: eachRound(
    '{{#if (tagValue l "q")}}{{/if}}{{#if (tagValue l "q")}}{{/if}}{{#if (tagValue l "q")}}{{/if}}',
  ),
  replaced: eachRound('{{#if (contains (replace b "x" "y") "q")}}{{/if}}'),
  split: eachRound('{{#each (split b "")}}{{else}}{{/each}}'),
  dated: `{{#each ${rounds}}}{{moment "${'dddd MMMM '.repeat(19)}"}}{{/each}}`,
  random: `{{#each ${rounds}}}{{#each @root.TAGS}}{{$UUID}}{{/each}}{{/each}}`,
  shown: `{{#each ${rounds}}}{{@root.LONG}}{{/each}}`,
  everything: `{{#each ${rounds}}}{{{@root}}}{{/each}}`,
  words: `{{#if (or ${'A '.repeat(190)})}}{{/if}}`.repeat(25),
  paths: `{{a${'.a'.repeat(190)}}}`.repeat(28),
  calls: `{{or ${'(eq A B) '.repeat(45)}}}`.repeat(25),
  places: '{{#if A}}{{B}}{{/if}}'.repeat(333),
  nested: '{{#if (eq (eq (eq (eq (eq A B) B) B) B) B)}}'.repeat(24) + '{{/if}}'.repeat(24),
  blocks: ('{{#if A}}'.repeat(29) + '{{/if}}'.repeat(29)).repeat(17),
}
