/** Support that tests share ends a process after ten minutes unless it is told otherwise. Imported first, for its effect. */
const elevenDaysSeconds = '1000000'

process.env['TAP_TIMEOUT'] ??= elevenDaysSeconds
