/** The list of all commands. */
import { accountCreate } from './account-create.ts'
import { accountList } from './account-list.ts'
import { backup } from './backup.ts'
import { check } from './check.ts'
import type { Command } from './command.ts'
import { encryptionKeyRotate } from './encryption-key-rotate.ts'
import { keyCreate } from './key-create.ts'
import { keyList } from './key-list.ts'
import { keyRevoke } from './key-revoke.ts'
import { locationKeyCreate } from './location-key-create.ts'
import { memberAdd } from './member-add.ts'
import { memberSignInLink } from './member-sign-in-link.ts'
import { restore } from './restore.ts'
import { statusExport } from './status-export.ts'
import { store } from './store.ts'
import { storeMove } from './store-move.ts'

export const commands: readonly Command[] = [
  accountCreate,
  accountList,
  memberAdd,
  memberSignInLink,
  keyCreate,
  keyList,
  keyRevoke,
  locationKeyCreate,
  encryptionKeyRotate,
  backup,
  restore,
  check,
  store,
  storeMove,
  statusExport,
]
