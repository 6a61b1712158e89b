import type { Sections } from '../rule.ts'

export const authenticationAndErrors: Sections = {
  Authentication: [
    'every request carries `Authorization: Bearer <API_KEY>`',
    '`x-service-account` names the account, and is optional',
    'members have one of five roles',
    'private location agents have credentials of their own',
    {
      rule: 'an API key is treated like a password',
      elsewhere: ['test/contract/canary.test.ts', 'a secret is found nowhere but where it belongs'],
    },
    {
      rule: 'service API keys exist',
      elsewhere: [
        'test/control-plane/access/api-keys/keys.test.ts',
        'service keys: a role of their own, outliving their maker',
      ],
    },
    {
      rule: 'which role may call which operation',
      elsewhere: [
        'test/contract/roles.test.ts',
        'every route lets in whom it declares and nobody else (sqlite)',
      ],
    },
  ],
  Errors: [
    'an error body is `{ message, attributes }`, text and object',
    '200 for reads and updates, 201 for creation, 204 for deletions',
    'every operation of the contract declares its success status',
  ],
  Versioning: [
    'the version is in the path: /v1 for most resources, /v2 for check results',
    'the current specification is at /openapi.json',
    'an older specification at /swagger.json is deprecated',
    '`doubleCheck` is deprecated',
  ],
}
