/** Dashboards: the checks with some tags on a page of its own, for a wall or for people without a key. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../platform/words/shapes/optional-fields.ts'

const closed = { additionalProperties: false }

const header = Type.String({ minLength: 1, maxLength: 255, description: 'Its title' })
const webAddress = (description: string) =>
  nullable(Type.String({ pattern: '^([Hh][Tt][Tt][Pp][Ss]?://.*)?$', maxLength: 2048 }), {
    default: null,
    description,
  })
const seconds = (description: string) =>
  Type.Integer({ minimum: 10, maximum: 86_400, default: 60, description: `${description}, in seconds` })
const yes = (description: string) => Type.Boolean({ default: true, description })
const no = (description: string) => Type.Boolean({ default: false, description })

const options = {
  description: nullable(Type.String({ maxLength: 2000 }), { default: null }),
  logo: webAddress('Web address of an image'),
  favicon: webAddress('Web address of an image'),
  link: webAddress('Where the logo leads'),
  width: Type.Enum(['FULL', '960PX'], { default: 'FULL', description: 'The whole window, or its middle' }),
  refreshRate: seconds('How often the page is loaded again'),
  paginate: yes('In parts of `checksPerPage`, shown one after the other; otherwise up to 200 at once'),
  paginationRate: seconds('How long each part is shown'),
  checksPerPage: nullable(Type.Integer({ minimum: 1, maximum: 20 }), {
    default: 15,
    description: 'Null: 15',
  }),
  sortByStatus: no('What is worst first; otherwise oldest first'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: 100,
    default: [],
    description: 'Of the checks that are shown, or of their groups; empty: all checks',
  }),
  useTagsAndOperator: nullable(Type.Boolean(), {
    default: false,
    description: 'Checks with all of the tags instead of any',
  }),
  hideTags: no('Shows no tags'),
  enableIncidents: no('Shows its incidents'),
  expandChecks: no('Shows all that is known of each check at once'),
  showHeader: yes('Shows title, description and logo'),
  showCheckRunLinks: no('Links each check with its results, for who may sign in'),
  showGroupNames: yes('Shows the name of a check’s group'),
  showP95: yes('Shows the 95th percentile of response times'),
  showP99: yes('Shows the 99th percentile of response times'),
  customCSS: nullable(Type.String({ maxLength: 20_000, pattern: '^(?![\\s\\S]*</)' }), {
    default: '',
    description: 'Style sheet; it loads nothing from elsewhere',
  }),
  isPrivate: no('Shown only to who knows its key, which is generated when this is switched on'),
}

const addresses = {
  customUrl: nullable(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' }), {
    default: null,
    description: 'Its address, below `/dashboards/`; kept in lower case and unique. Null: made up',
  }),
  customDomain: nullable(Type.String({ format: 'hostname', pattern: '\\.', maxLength: 253 }), {
    default: null,
    description: 'Host name; kept in lower case and unique',
  }),
}

const { isPrivate, ...stored } = options
const DashboardDoc = Type.Object({ header: Type.String(), isPrivate, ...stored }, closed)
export type DashboardDoc = Static<typeof DashboardDoc>
export const dashboardDoc = storedDoc({ name: 'dashboard', schema: DashboardDoc })

export const NewDashboard = Type.Object(
  { header, ...optional(addresses), ...optional(options) },
  { ...closed, title: 'NewDashboard' },
)

/** Only what is sent changes. */
export const DashboardChanges = Type.Object(changesOf({ header, ...addresses, ...options }), {
  ...closed,
  title: 'DashboardChanges',
})
export type DashboardChanges = Static<typeof DashboardChanges>

const DashboardKey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    maskedKey: Type.String(),
    rawKey: Type.Optional(Type.String({ description: 'Only in the answer to the request that made it' })),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'DashboardKey' },
)

const Domain = Type.Object(
  {
    name: Type.String(),
    isProven: Type.Boolean({ description: 'Whether the dashboard is shown there' }),
    checkedAt: DateTimeOrNull,
    records: Type.Array(
      Type.Object(
        { type: Type.Enum(['TXT', 'CNAME']), name: Type.String(), value: Type.String() },
        { title: 'DashboardDomainRecord' },
      ),
      { description: 'One of them proves in the DNS that the domain is yours' },
    ),
  },
  { title: 'DashboardDomain' },
)

export const Dashboard = Type.Object(
  {
    id: Type.Integer(),
    dashboardId: Type.String({ format: 'uuid' }),
    header,
    customUrl: Type.String(),
    customDomain: addresses.customDomain,
    ...options,
    keys: Type.Array(DashboardKey),
    domain: nullable(Domain, { description: 'Null without `customDomain`' }),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'Dashboard' },
)
export type Dashboard = Static<typeof Dashboard>

export const exampleDashboard = {
  id: 1,
  dashboardId: '2b7d9a1c-4e5f-4a6b-8c3d-1f0e9d8c7b6a',
  header: 'Shop',
  customUrl: 'shop',
  customDomain: null,
  description: null,
  logo: null,
  favicon: null,
  link: null,
  width: 'FULL',
  refreshRate: 60,
  paginate: true,
  paginationRate: 60,
  checksPerPage: 15,
  sortByStatus: false,
  tags: ['shop'],
  useTagsAndOperator: false,
  hideTags: false,
  enableIncidents: false,
  expandChecks: false,
  showHeader: true,
  showCheckRunLinks: false,
  showGroupNames: true,
  showP95: true,
  showP99: true,
  customCSS: '',
  isPrivate: false,
  keys: [],
  domain: null,
  created_at: '2026-01-02T00:00:00.000Z',
  updated_at: null,
}
