import type { Sections } from '../rule.ts'

export const maintenanceWindow: Sections = {
  'Maintenance window': [
    'id: number',
    'name: text, required',
    'startsAt: date, required',
    'endsAt: date, required',
    'created_at: date',
    'updated_at: date or null',
    'tags: list of text',
    'repeatInterval: number or null',
    'repeatUnit: DAY, WEEK, MONTH or null',
    'repeatEndsAt: date or null',
    'description: text or null',
    'statusPageVisibility: an object',
    'statusPageVisibility.enabled: boolean',
    'statusPageVisibility.affectAllServices: boolean',
    'statusPageVisibility.suppressAutoIncidents: boolean',
    'statusPageVisibility.notifyOnStart: boolean',
    'statusPageVisibility.notifyOnEnd: boolean',
    'statusPageVisibility.autoStart: boolean',
    'statusPageVisibility.autoEnd: boolean',
    'statusPageVisibility.reminderMinutesBefore: list of numbers',
    'statusPageVisibility.statusPageIds: list of text',
    'statusPageVisibility.serviceIds: list of text',
    'pauseAllChecks: boolean',
    'silenceAlertsTags: list of text',
    'silenceAllAlerts: boolean',
    'every field of the table is in what is read, with its type',
    {
      rule: 'tags: names of checks and groups the window applies to',
      elsewhere: [
        'test/control-plane/communication/maintenance-windows/active-windows.test.ts',
        'tags pause the checks and groups that share one',
      ],
    },
  ],
}
