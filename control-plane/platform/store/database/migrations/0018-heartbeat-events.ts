/** An event of a heartbeat check is a result of it: what only the events kept moves there. */
const quoted = (column: string): string =>
  `coalesce('"' || replace(replace(e.${column}, '\\', '\\\\'), '"', '\\"') || '"', 'null')`

export const heartbeatEvents: string[] = [
  `update results set doc = substr(doc, 1, length(doc) - 1) || ',"source":' || ${quoted('source')} || ',"userAgent":' || ${quoted('user_agent')} || '}' from heartbeat_events e where e.id = results.id`,
  'drop table heartbeat_events',
]
