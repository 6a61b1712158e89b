/**
 * Row types, a file per area. Columns are for finding, `doc` is for showing: each table has what SQL must filter, order,
 * lock or join on, and the rest as JSON text validated by its slice. Instants are epoch milliseconds (`…_at`), booleans
 * 0 or 1 there and booleans here (booleans.ts), ids UUID text or, where the API says number, small integers from `counters`.
 */
import type { AlertChannelTables } from './tables/alert-channels.ts'
import type { AlertStateTables } from './tables/alert-states.ts'
import type { AnalysisTables } from './tables/analysis.ts'
import type { ArtifactTables } from './tables/artifacts.ts'
import type { CheckSessionTables } from './tables/check-sessions.ts'
import type { CheckTables } from './tables/checks.ts'
import type { CodeBundleTables } from './tables/code-bundles.ts'
import type { ConfigurationTables } from './tables/configuration.ts'
import type { DashboardTables } from './tables/dashboards.ts'
import type { ExporterTables } from './tables/exporter.ts'
import type { HeartbeatTables } from './tables/heartbeats.ts'
import type { IncidentAutomationTables } from './tables/incident-automation.ts'
import type { MailTables } from './tables/mails.ts'
import type { MaintenanceWindowTables } from './tables/maintenance-windows.ts'
import type { MemberTables } from './tables/members.ts'
import type { ProjectTables } from './tables/projects.ts'
import type { ResultTables } from './tables/results.ts'
import type { RetentionTables } from './tables/retention.ts'
import type { RollupTables } from './tables/rollups.ts'
import type { RunTables } from './tables/runs.ts'
import type { SignInTables } from './tables/sign-in.ts'
import type { StatusPageTables } from './tables/status-pages.ts'
import type { StatusesTables } from './tables/statuses.ts'
import type { UserSessionTables } from './tables/user-sessions.ts'

export type Tables = HeartbeatTables &
  CheckTables &
  CodeBundleTables &
  ProjectTables &
  CheckSessionTables &
  StatusesTables &
  RunTables &
  ArtifactTables &
  MemberTables &
  ConfigurationTables &
  AlertChannelTables &
  AlertStateTables &
  AnalysisTables &
  StatusPageTables &
  DashboardTables &
  MaintenanceWindowTables &
  MailTables &
  IncidentAutomationTables &
  ResultTables &
  RetentionTables &
  RollupTables &
  UserSessionTables &
  SignInTables &
  ExporterTables
