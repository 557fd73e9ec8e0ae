import type { Scene } from './scene.ts'
import { owner } from './users.ts'
import { heading, signInByRequest } from './visits.ts'

const expired = (path: string): Scene => ({
  name: `${path} that has expired`,
  isPlain: true,
  async show(page) {
    await page.goto(path)
    await heading(page, 'This sign-in has expired')
  },
})

/** The pages that apps and devices lead to. */
export const appScenes: Scene[] = [
  expired('/consent'),
  expired('/choose-organization'),
  expired('/second-step'),
  {
    name: 'device, code typed wrongly',
    async show(page, service) {
      await signInByRequest(page, (await owner(service)).email)
      await page.goto('/device?user_code=BCDF')
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText('The code has 8 letters.').waitFor()
    },
  },
]
