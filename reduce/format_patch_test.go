package reduce

const onePatch = `diff --git a/x.c b/x.c
index 1111111..2222222 100644
--- a/x.c
+++ b/x.c
@@ -1,3 +1,4 @@ int f
 a
-b
+B
+C
 d
diff --git a/y b/z
similarity index 100%
rename from y
rename to z
`

const mails = `From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: A <a@b>
Date: Mon, 1 Jan 2024 00:00:00 +0000
X-Other: 1
Subject: [PATCH 1/2] one
 two

text
---
 x | 2 +-

diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-a
\ No newline at end of file
+b
-- 
2.39.5

From 1123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: A <a@b>
Subject: [PATCH 2/2] two

diff --git a/w b/w
new file mode 100755
index 0000000..1111111
--- /dev/null
+++ b/w
@@ -0,0 +1,2 @@
+a
+b
-- 
2.39.5

`
