import { hashSync, verifySync } from '@node-rs/argon2'
import { ARGON2_PARAMETERS } from '../../server/platform/crypto/passwords.ts'
import { PASSWORD } from '../population.ts'
import { repeatOperation } from './repeat-operation.ts'

const passwordHash = hashSync(PASSWORD, ARGON2_PARAMETERS)

await repeatOperation(() => {
  if (!verifySync(passwordHash, PASSWORD)) throw new Error('The right password was refused')
})
