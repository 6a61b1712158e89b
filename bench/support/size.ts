/**
 * Benchmarks have their full size, or are small (`BENCH_SIZE=small`): a run of seconds, which tests make so that none of them
 * can rot unnoticed. It says that they can be carried out and nothing about speed, and leaves no results.
 */
export const isSmall = process.env['BENCH_SIZE'] === 'small'

export const sized = (full: number, small: number): number => (isSmall ? small : full)
