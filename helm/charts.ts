/** The charts of the project. */
import { agentChart } from './agent-chart.ts'
import type { Chart } from './common-values.ts'
import { controlPlaneChart } from './control-plane-chart.ts'

export const charts: readonly Chart[] = [agentChart, controlPlaneChart]
