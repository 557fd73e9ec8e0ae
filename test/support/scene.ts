import type { Page } from 'playwright-core'
import type { Service } from './service.ts'

/** A page in one of its states. */
export interface Scene {
  name: string
  /** Whether it leaves nothing but its page, so that other scenes can use the same browser context. */
  isPlain?: true
  show: (page: Page, service: Service) => Promise<void>
}
