/**
 * What a project may hold, and which routes of the API make, change, read and delete it: a deployment does nothing that the
 * API could not do. In the order in which resources are made, so that each finds what it names. Pure.
 */

type Payload = Readonly<Record<string, unknown>>

export type ResourceType = {
  /** `POST` there makes one; `GET`, `PUT` and `DELETE` of what is below are for one. */
  collection(payload: Payload): string
  /** Where it is read, changed and deleted, if that is another address. */
  one?: string
  /** Its id is a number. */
  isNumbered?: true
  /** The field of its payload that the address names, too. */
  below?: string
  /** Names another of its own type, which is made first. */
  inside?: string
  /** Others may stand on it: it goes when they are gone. */
  holdsOthers?: true
}

const at = (collection: string) => () => collection

export const resourceTypes = {
  'private-location': { collection: at('/v1/private-locations'), holdsOthers: true },
  'status-page-service': { collection: at('/v1/status-pages/services'), holdsOthers: true },
  'status-page': {
    collection: ({ version }) => (version === 3 ? '/v3/status-pages' : '/v1/status-pages'),
  },
  'status-page-component': {
    collection: at('/v3/status-pages/:/components'),
    ...{ below: 'statusPageId', inside: 'parentId' },
  },
  'status-page-automation-rule': {
    collection: at('/v3/status-pages/:/automation-rules'),
    below: 'statusPageId',
  },
  'alert-channel': { collection: at('/v1/alert-channels'), isNumbered: true, holdsOthers: true },
  'check-group': {
    collection: ({ v }) => (v === 2 ? '/v2/check-groups' : '/v1/check-groups'),
    one: '/v1/check-groups',
    isNumbered: true,
    holdsOthers: true,
  },
  check: { collection: at('/v1/checks') },
  'maintenance-window': { collection: at('/v1/maintenance-windows'), isNumbered: true },
  dashboard: { collection: at('/v1/dashboards') },
} as const satisfies Record<string, ResourceType>

export type ResourceTypeName = keyof typeof resourceTypes

export const resourceTypeNames = Object.keys(resourceTypes) as readonly ResourceTypeName[]

/** What links two others is no resource here: it becomes a field of the check or group. */
export const linkTypes = [
  'alert-channel-subscription',
  'private-location-check-assignment',
  'private-location-group-assignment',
] as const

export const deployedTypes = [...resourceTypeNames, ...linkTypes]

/** Of which type the resource is that a field names by `{ ref }`. */
export const typeOfReference: Readonly<Record<string, ResourceTypeName>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  groupId: 'check-group',
  privateLocationId: 'private-location',
  serviceId: 'status-page-service',
  services: 'status-page-service',
  statusPageId: 'status-page',
  parentId: 'status-page-component',
  componentId: 'status-page-component',
}
