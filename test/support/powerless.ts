/**
 * What to put before a command so that it runs as somebody to whom the owners and modes of files apply: root without
 * its powers is a user like any other, and still reaches the clone, wherever that is.
 */
export const powerless: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
