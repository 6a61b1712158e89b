/** Metrics as text: Prometheus' own format (0.0.4) and OpenMetrics 1.0. Pure. */

export type MetricFamily = {
  /** With `_total` where it is a counter. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
}

export type ExpositionFormat = 'prometheus' | 'openmetrics'

export const expositionTypes: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** Of OpenMetrics alone: without it an answer was cut off. */
export const expositionEnd = (format: ExpositionFormat): string => (format === 'openmetrics' ? '# EOF\n' : '')

type AcceptedType = Record<'type', string> &
  Record<'version' | 'proto' | 'encoding', string | undefined> & { quality: number }

const acceptedTypes = (accept: string): AcceptedType[] =>
  accept.split(',').map((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const value = (name: string) =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1)
    const quality = Number(value('q') ?? 1)
    const said = { version: value('version'), proto: value('proto'), encoding: value('encoding') }
    return { type, ...said, quality: Number.isFinite(quality) ? quality : 0 }
  })

/** What Prometheus asks for before all else when it takes native histograms, which no text can tell. */
export const protobufType =
  'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited'

/** Whether somebody would rather have protobuf than any text, and in the way in which we write it. */
export const prefersProtobuf = (accept: string | undefined): boolean => {
  const types = acceptedTypes(accept ?? '')
  const ours = types.find(
    ({ type, proto, encoding }) =>
      type === 'application/vnd.google.protobuf' &&
      proto === 'io.prometheus.client.metricfamily' &&
      encoding === 'delimited',
  )
  const texts = types.filter(({ type }) => type === 'application/openmetrics-text' || type === 'text/plain')
  return ours !== undefined && ours.quality > 0 && texts.every(({ quality }) => quality <= ours.quality)
}

/** OpenMetrics for those who would rather have it than text. */
export const chooseFormat = (accept: string | undefined): ExpositionFormat => {
  const types = acceptedTypes(accept ?? '')
  const best = (fits: (type: AcceptedType) => boolean): number =>
    Math.max(0, ...types.filter(fits).map(({ quality }) => quality))
  const openmetrics = best(
    ({ type, version = '1.0.0' }) => type === 'application/openmetrics-text' && version === '1.0.0',
  )
  const text = best(({ type }) => type === 'text/plain')
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'prometheus'
}

/** Units of OpenMetrics that our names end in. */
const units = ['seconds', 'ratio', 'bytes'] as const

export const familyHead = ({ name, help, type }: MetricFamily, format: ExpositionFormat): string => {
  const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
  const unit = units.find((each) => family.endsWith(`_${each}`))
  const unitLine = format === 'openmetrics' && unit !== undefined ? `# UNIT ${family} ${unit}\n` : ''
  return `# HELP ${family} ${escapeHelp(help, format)}\n# TYPE ${family} ${type}\n${unitLine}`
}

const escapeHelp = (help: string, format: ExpositionFormat): string => {
  const text = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return format === 'openmetrics' ? text.replaceAll('"', '\\"') : text
}

const special = /[\\"\n]/g
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

/** `a="1",b="2"`, without those that are empty: to Prometheus they are the same as none. */
export const labelText = (labels: Iterable<readonly [name: string, value: string]>): string => {
  let text = ''
  for (const [name, value] of labels)
    if (value !== '') text += `${text === '' ? '' : ','}${name}="${escapeLabelValue(value)}"`
  return text
}

/** A lone surrogate is no UTF-8. */
const escapeLabelValue = (value: string): string =>
  value.toWellFormed().replace(special, (character) => escapes[character] ?? character)

/** `labels`: as labelText writes them. */
export const sampleLine = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${numberText(value)}\n` : `${name}{${labels}} ${numberText(value)}\n`

export const numberText = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
