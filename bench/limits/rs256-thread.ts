import { generateKeyPair, SignJWT } from 'jose'
import { repeatOperation } from './repeat-operation.ts'

/** More than the threads of the thread pool, so that no thread waits for the next signature. */
const UNDER_WAY = 16

const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 })

await repeatOperation(
  () => new SignJWT({ email: 'user@example.com' }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey),
  UNDER_WAY,
)
