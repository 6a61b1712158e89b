/** One window and one occurrence, as the documentation shows them. */
export const exampleNewWindow = {
  name: 'Database upgrade',
  startsAt: '2026-03-01T02:00:00+01:00',
  endsAt: '2026-03-01T04:00:00+01:00',
  timezone: 'Europe/Berlin',
  repeatUnit: 'MONTH',
  tags: ['database'],
  silenceAlertsTags: ['database'],
}

export const exampleWindow = {
  id: 7,
  name: 'Database upgrade',
  translations: { de: { name: 'Neue Datenbank' } },
  startsAt: '2026-03-01T01:00:00.000Z',
  endsAt: '2026-03-01T03:00:00.000Z',
  timezone: 'Europe/Berlin',
  tags: ['database'],
  pauseAllChecks: false,
  silenceAlertsTags: ['database'],
  silenceAllAlerts: false,
  description: null,
  repeatUnit: 'MONTH' as const,
  repeatInterval: 1,
  repeatEndsAt: null,
  statusPageVisibility: {
    enabled: false,
    severity: null,
    affectAllServices: false,
    suppressAutoIncidents: false,
    notifyOnStart: false,
    notifyOnEnd: false,
    autoStart: true,
    autoEnd: true,
    showAffectedServices: true,
    reminderMinutesBefore: [],
    statusPageIds: [],
    serviceIds: [],
  },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}

export const exampleUpdate = {
  id: '0b7a3f5e-3c0e-4c43-9b7e-0d4f8f1f7a10',
  maintenanceId: '7-20260301',
  maintenanceWindowId: 7,
  status: 'IN_PROGRESS',
  description: 'We have begun.',
  translations: { de: { description: 'Es hat begonnen.' } },
  notifySubscribers: false,
  created_at: '2026-03-01T01:05:00.000Z',
  updated_at: null,
}

export const exampleMaintenance = {
  id: '7-20260301',
  maintenanceWindowId: 7,
  startsAt: '2026-03-01T01:00:00.000Z',
  endsAt: '2026-03-01T03:00:00.000Z',
  status: 'IN_PROGRESS',
  updates: [exampleUpdate],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}
