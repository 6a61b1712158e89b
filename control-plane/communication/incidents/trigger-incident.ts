import { Type } from 'typebox'

/** What a check may ask for when it fails: an incident on a status page. */
export const TriggerIncident = Type.Object(
  {
    serviceId: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 2000, default: '' })),
    severity: Type.Optional(Type.Enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'], { default: 'MINOR' })),
    notifySubscribers: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, title: 'TriggerIncident' },
)
