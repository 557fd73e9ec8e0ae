import { repeatOperation } from './repeat-operation.ts'
import { signToken } from './sign-token.ts'

/** More than the threads of the thread pool, so that no thread waits for the next signature. */
const UNDER_WAY = 16

await repeatOperation(signToken, UNDER_WAY)
