/**
 * How English says instants, to programs, in mails and on pages alike: whoever reads them is anywhere, and may search
 * for them. The months are written out because `Intl` changes its abbreviations. Pure.
 */

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `14 Mar 2026, 02:13 UTC` */
export const instantInWords = (at: number): string => {
  const [date = '', time = ''] = new Date(at).toISOString().split('T')
  const [year, month = '1', day = '1'] = date.split('-')
  return `${Number(day)} ${monthNames[Number(month) - 1]} ${year}, ${time.slice(0, 5)} UTC`
}
