// Times in the reader's zone; the time in UTC stays as the tooltip, and on the page where this does not run.
const format = new Intl.DateTimeFormat(document.documentElement.lang, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
for (const time of document.querySelectorAll('time[datetime]')) {
  const at = new Date(time.dateTime)
  if (Number.isNaN(at.getTime())) continue
  time.title = time.textContent
  time.textContent = format.format(at)
}
