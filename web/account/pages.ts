import { Account } from './Account.tsx'

export const pages = { Account }
