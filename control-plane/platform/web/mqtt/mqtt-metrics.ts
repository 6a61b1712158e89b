/** What `/metrics` shows of those who listen at `/mqtt`: how many, and nothing of who they are. */
import { counter, gauge } from '../../app/metrics.ts'

const reasons = ['full', 'address', 'account', 'rate', 'key', 'protocol', 'error'] as const

export const mqttMetrics = {
  listeners: gauge({
    name: 'watchpost_mqtt_listeners',
    help: 'Clients that were let in at /mqtt and are still there',
  }),
  refused: counter({
    name: 'watchpost_mqtt_refused_connections_total',
    help: 'Connections to /mqtt that were refused, by reason: full, address, account, rate, key, protocol, error',
    labels: ['reason'],
    zeros: reasons.map((reason) => ({ reason })),
  }),
  messages: counter({
    name: 'watchpost_mqtt_messages_total',
    help: 'Messages that were sent to listeners; one that two of them hear counts twice',
  }),
  cut: counter({
    name: 'watchpost_mqtt_cut_listeners_total',
    help: 'Listeners that were cut, since they did not read what they were told',
  }),
}
