/** Order statistics and the way numbers are printed. Pure. */

/** The nearest-rank percentile (0 to 100) of numbers in any order. */
export const percentile = (numbers: readonly number[], rank: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1))] ??
    Number.NaN
  )
}

export const median = (numbers: readonly number[]): number => percentile(numbers, 50)

export const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits))

/** 12,345 */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en-US')

export const times = (ratio: number): string => `${ratio.toFixed(2)}×`
