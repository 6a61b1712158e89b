/** Roles of the contract, weakest first: each may do what the ones before it may. */
export const roles = ['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'ADMIN', 'OWNER'] as const
export type Role = (typeof roles)[number]

/** What somebody may see: by their role, and of keys by what their account has chosen. */
export type Sight = { role: Role; seesSecrets?: boolean | undefined }

/** Locked values and passwords are shown to whoever could change them. */
export const seesLockedValues = (role: Role): boolean => roles.indexOf(role) >= roles.indexOf('READ_WRITE')
