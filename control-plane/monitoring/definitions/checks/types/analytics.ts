/** By what a series of analytics may be divided, and where the detail of a result says it. */
export type Grouping =
  | { by: 'runLocation' }
  | { by: 'statusCode'; detail: string }
  | { by: 'pageIndex'; detail: string }
export type GroupBy = Grouping['by']

/** `GET /v1/analytics/<path>/{id}`; its metrics are those of the type's protocol. */
export type Analytics = { path: string; groupings: readonly Grouping[] }

export const byLocation: Grouping = { by: 'runLocation' }
export const byStatus: Grouping = { by: 'statusCode', detail: 'response.status' }
export const byPage: Grouping = { by: 'pageIndex', detail: 'pages' }
