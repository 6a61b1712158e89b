export const alertRefusals = {
  wrong: {
    status: 404,
    title: 'This link does not work',
    text: [
      'It may have been cut off or changed on its way: open it from the message itself, or copy all of it.',
    ],
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: ['Alerts can be answered from their message for 14 days. A newer message has a newer link.'],
  },
  gone: {
    status: 410,
    title: 'There is no such alert any more',
    text: ['Its check was deleted, or the alert is older than alerts are kept.'],
  },
}

export const testNotice = {
  title: 'It works',
  text: [
    'The message was a test of an alert channel: there is nothing to acknowledge.',
    'In a real alert you would acknowledge or snooze it here.',
  ],
}
