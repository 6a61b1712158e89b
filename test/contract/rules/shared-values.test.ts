import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { type FieldRule, field } from '../../support/field-rules.ts'
import { browserCheck, heartbeatCheck, threeKinds, urlMonitor } from '../../support/kinds-of-checks.ts'

const onAll = (path: string, rule: FieldRule): RuleTest =>
  each(...threeKinds.map((kind) => field(kind, path, rule)))

const locations = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1', 'eu-west-1'],
  ...['eu-central-1', 'eu-west-2', 'eu-west-3', 'eu-north-1', 'eu-south-1', 'me-south-1', 'ap-southeast-1'],
  ...['ap-northeast-1', 'ap-east-1', 'ap-southeast-2', 'ap-southeast-3', 'ap-northeast-2', 'ap-northeast-3'],
  ...['ap-south-1', 'af-south-1'],
]
const runtimes = ['2026.04', '2025.04', '2024.09', '2024.02', '2023.09', '2023.02', '2022.10']
const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]
const noMinutes: Array<[unknown, string]> = [3, -1, 1441, 2.5, '10', null].map((value) => [value, 'enum'])

testRules('Shared value sets', {
  '`locations`: the 22 public locations and no other': onAll('locations', {
    valid: [locations, ...locations.map((one) => [one])],
    invalid: [
      [['eu-west-4'], 'locations.0 enum'],
      [['EU-WEST-1'], 'locations.0 enum'],
    ],
  }),
  '`runtimeId`: the seven runtimes and no other': onAll('runtimeId', {
    valid: runtimes,
    invalid: [
      ['2026-04', 'enum'],
      ['2022.04', 'enum'],
    ],
  }),
  '`frequency` of a browser check: twelve numbers of minutes, not 0': field(browserCheck, 'frequency', {
    valid: minutes,
    invalid: [[0, 'enum'], ...noMinutes],
  }),
  '`frequency` of a URL monitor: 0 in addition': field(urlMonitor, 'frequency', {
    valid: [0, ...minutes],
    invalid: noMinutes,
  }),
  '`frequency` of a heartbeat check: any integer': field(heartbeatCheck, 'frequency', {
    valid: [-1, 0, 1, 7, 1_000_000],
    invalid: [
      [1.5, 'type'],
      ['10', 'type'],
    ],
  }),
  '`frequency`: default 10 for all three': onAll('frequency', { byDefault: 10 }),
})
