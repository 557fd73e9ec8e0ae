import './account.css'
import { Account } from './Account.tsx'

export const pages = { Account }
