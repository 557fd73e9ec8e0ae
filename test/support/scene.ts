import type { Page } from 'playwright-core'
import type { Service } from './service.ts'

/** A page in one of its states. */
export interface Scene {
  name: string
  show: (page: Page, service: Service) => Promise<void>
}
