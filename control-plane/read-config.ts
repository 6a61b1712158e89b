/**
 * The control plane's configuration, put together from what the platform and each area read of the environment: a frozen
 * value, or one error that lists every problem.
 */

import { type OidcSettings, oidcVariables, readOidc } from './access/sign-in/oidc-settings.ts'
import { type Providers, providerVariables, readProviders } from './alerting/channels/providers.ts'
import { type BootstrapSettings, bootstrapVariables, readBootstrapSettings } from './bootstrap-settings.ts'
import { type OtlpSettings, otlpVariables, readOtlp } from './insight/otlp/otlp-settings.ts'
import {
  type AnalystSettings,
  analystVariables,
  readAnalyst,
} from './insight/root-cause-analyses/analyst-settings.ts'
import {
  type ArtifactAllowances,
  allowanceVariables,
  readAllowances,
} from './monitoring/artifacts/allowances.ts'
import {
  readStandingOrders,
  type StandingOrderSettings,
  standingOrderVariables,
} from './monitoring/jobs/orders/order-settings.ts'
import {
  readStaticAddresses,
  type StaticAddresses,
  staticAddressVariables,
} from './monitoring/locations/static-addresses.ts'
import { graceVariables, readGrace } from './monitoring/watches/late-judging/grace-settings.ts'
import { readWatchdog, watchdogVariables } from './monitoring/watches/watchdog-tick.ts'
import { type Retention, readRetention, retentionVariables } from './platform/retention/settings.ts'
import { type Config, platformVariables, readPlatform } from './platform/settings/config.ts'
import { type Environment, readSettings, type Variable } from './platform/settings/reading.ts'
import { retentionSettings } from './retention-settings.ts'

export type WholeConfig = Config & {
  bootstrap: BootstrapSettings
  artifactAllowances: ArtifactAllowances
  retention: Retention<keyof typeof retentionSettings>
  /** Of Playwright's trace viewer; null: the newest installed runtime's. */
  traceViewerDir: string | null
  awaitedForMs: number
  locationAddresses: StaticAddresses
  watchdogUrl: string | null
  standingOrders: StandingOrderSettings
  /** The OpenAI-compatible endpoint that analyses errors; null: the built-in rules do. */
  analyst: AnalystSettings | null
  /** Where results are exported to; null: nowhere. */
  otlp: OtlpSettings | null
  /** Who says who people are, beside passwords and passkeys; null: nobody. */
  oidc: OidcSettings | null
  /** Who delivers messages and calls. */
  providers: Providers
}

/** What `--help` is printed from, and docs/deploy/environment.md is written from. */
export const controlPlaneVariables: readonly Variable[] = [
  ...platformVariables,
  ...bootstrapVariables,
  ...allowanceVariables,
  ...retentionVariables(retentionSettings),
  {
    name: 'TRACE_VIEWER_DIR',
    default: "the newest installed runtime's",
    meaning:
      "folder of Playwright's trace viewer (playwright-core/lib/vite/traceViewer), for pages of results",
  },
  ...staticAddressVariables,
  ...graceVariables,
  ...watchdogVariables,
  ...standingOrderVariables,
  ...analystVariables,
  ...providerVariables,
  ...otlpVariables,
  ...oidcVariables,
]

/** @throws ConfigError */
export const readConfig = (env: Environment): WholeConfig =>
  readSettings(env, {
    known: controlPlaneVariables,
    read: (reader) => {
      const config = readPlatform(reader)
      return {
        ...config,
        bootstrap: readBootstrapSettings(reader),
        artifactAllowances: readAllowances(reader),
        retention: readRetention(reader, retentionSettings),
        traceViewerDir: reader.text('TRACE_VIEWER_DIR'),
        locationAddresses: readStaticAddresses(reader),
        awaitedForMs: readGrace(reader),
        watchdogUrl: readWatchdog(reader),
        standingOrders: readStandingOrders(reader),
        analyst: readAnalyst(reader),
        otlp: readOtlp(reader),
        oidc: readOidc(reader),
        providers: readProviders(reader, config.mail),
      }
    },
  })
