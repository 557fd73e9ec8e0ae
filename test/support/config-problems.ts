import assert from 'node:assert/strict'
import { ConfigError, readConfig } from '../../server/platform/config/config.ts'

export const SECRET = 'a secret of at least thirty-two characters'

/** The problems that `readConfig` reports, with a valid SECRET unless the environment has one. */
export function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig({ SECRET, ...environment })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}
