// Package chromium lets tests look at pages in a headless Chromium, and use them. Where there is none, the test is skipped.
package chromium
