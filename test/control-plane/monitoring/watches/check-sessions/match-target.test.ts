import t from 'tap'
import {
  matchesTarget,
  type Target,
} from '../../../../../control-plane/monitoring/watches/check-sessions/match-target.ts'

const check = { id: 'c-1', tags: ['production', 'api'] }

const cases: Array<[string, Target, boolean]> = [
  ['no filter means every check', {}, true],
  ['empty lists mean every check', { matchTags: [], checkId: [] }, true],
  ['one tag', { matchTags: [['api']] }, true],
  ['inner tags must all be there', { matchTags: [['api', 'staging']] }, false],
  ['outer lists are alternatives', { matchTags: [['staging'], ['api', 'production']] }, true],
  ['! means it must not be there', { matchTags: [['api', '!production']] }, false],
  ['! alone', { matchTags: [['!staging']] }, true],
  ['a bare tag in the outer list is an alternative', { matchTags: ['staging', 'api'] }, true],
  ['a single string', { matchTags: 'api' }, true],
  ['an id', { checkId: 'c-1' }, true],
  ['a list of ids', { checkId: ['c-2', 'c-1'] }, true],
  ['another id', { checkId: ['c-2'] }, false],
  ['an id or tags', { checkId: ['c-2'], matchTags: [['api']] }, true],
  ['a named check is meant whatever its tags', { checkId: ['c-1'], matchTags: [['staging']] }, true],
]

for (const [name, target, expected] of cases)
  t.test(name, async (t) => {
    t.equal(matchesTarget(check, target), expected)
  })
